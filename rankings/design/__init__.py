"""Design: how many images and annotators does a study need to find a difference?"""
