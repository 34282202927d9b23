"""Joined plans on drawn pools against real GPT, md and LVM in practice machines."""
