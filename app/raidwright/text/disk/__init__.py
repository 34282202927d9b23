"""Disks in words: what each is, holds and says of its health."""
