"""Makes the sample project: an invented paper in two versions, its reviews, the response letter, and the truth."""
