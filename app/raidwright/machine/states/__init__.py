"""What a machine has: arrays, and volumes over them."""
