"""The shell around the rules: doors, handlers, use cases, store. It names no game; games come from ``engines.registry``."""
