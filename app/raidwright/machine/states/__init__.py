"""Arrays, and volumes over them, as a machine has them."""
