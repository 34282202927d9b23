"""How likely a loss is, shown: in a few words beside the plan, and on a page with every assumption to move."""
