"""The stages of drafting (ReviewGrounder), each in two ways behind one protocol."""
