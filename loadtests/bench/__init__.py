"""What a call costs the server, beside a bare echo measured in the same run."""
