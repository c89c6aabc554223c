HONEST = {}
