"""What all games share: the engine contract (``contract``), and what engines are made of."""
