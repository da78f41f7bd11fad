class Refusal(Exception):
    """A response other than 200. The sentence tells a model what to do."""

    def __init__(self, status, sentence, headers=None):
        super().__init__(sentence)
        self.status, self.sentence, self.headers = status, sentence, headers or {}
