"""One handler an rpc, on plain structs: check the shape, call the use case, present what it gives."""
