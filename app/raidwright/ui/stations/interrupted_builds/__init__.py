"""What an earlier start of the program left unfinished."""
