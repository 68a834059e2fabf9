"""Load: users that play whole matches of every game that the service lists, over gRPC and REST, and that check what they are told against each other."""
