"""Whether an action is the one that a public data set holds as right, by that data set's rule."""
