"""The stages of drafting (ReviewGrounder), each in two ways with one interface."""
