"""Line charts: what is drawn of a sweep or over numbers of disks, its sentences, and the drawing itself, as SVG."""
