"""Operations on a machine and its arrays, as values that the window and the command line both perform."""
