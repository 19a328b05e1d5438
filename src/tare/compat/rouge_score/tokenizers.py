"""Tokenizers, as rouge-score has them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tare._measures.text.profiles import profile
from tare.compat._arguments import flag

__all__ = ["DefaultTokenizer", "Tokenizer"]


class Tokenizer(ABC):
    """Base class of tokenizers.

    Examples
    --------
    >>> class Words(Tokenizer):
    ...     def tokenize(self, text):
    ...         return text.split()
    >>> Words().tokenize("A cat")
    ['A', 'cat']
    """

    @abstractmethod
    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        list of str
            The tokens.
        """


class DefaultTokenizer(Tokenizer):
    """Lower-case runs of a–z and 0–9, optionally stemmed by NLTK's Porter stemmer.

    Parameters
    ----------
    use_stemmer : bool, default False
        Stem words of more than three letters.

    Examples
    --------
    >>> DefaultTokenizer(use_stemmer=True).tokenize("The cats were sitting.")
    ['the', 'cat', 'were', 'sit']
    """

    def __init__(self, use_stemmer: bool = False) -> None:
        self.kernel = profile("google", stem=flag("use_stemmer", use_stemmer)).kernel

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        list of str
            The tokens.
        """
        return self.kernel.tokens(text.encode("utf-8", "replace").decode())
