"""The whole way through the real window on a virtual screen: what ``make run`` does where there is no display."""
