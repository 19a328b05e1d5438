"""Short, obvious versions of the fits: one subset at a time, by the formulas of the books."""

from __future__ import annotations

import numpy as np


def bisquare(X: np.ndarray, y: np.ndarray, tune: float = 4.685, left_out: int = 0) -> np.ndarray:
    """Intercept and coefficients of Matlab's robustfit, written as its page describes it.

    left_out: how many fewer than p of the smallest residuals the scale leaves out.
    """
    A = np.column_stack([np.ones(len(y)), X])
    p = A.shape[1]
    b = np.linalg.lstsq(A, y, rcond=None)[0]
    Q, _ = np.linalg.qr(A)
    h = np.minimum((Q**2).sum(axis=1), 0.9999)
    for _ in range(50):
        r = (y - A @ b) / np.sqrt(1 - h)
        s = np.median(np.sort(np.abs(r))[p - left_out :]) / 0.6745
        s = max(s, 1e-6 * np.std(y, ddof=1))
        u = r / (tune * s)
        w = np.where(np.abs(u) < 1, (1 - u**2) ** 2, 0)
        old, b = b, np.linalg.lstsq(A * np.sqrt(w)[:, None], y * np.sqrt(w), rcond=None)[0]
        if (np.abs(b - old) <= 1.5e-8 * np.maximum(np.abs(b), np.abs(old))).all():
            break
    return b


def canonical(A: np.ndarray, B: np.ndarray) -> float:
    """The largest canonical correlation, by QR and singular values (Björck and Golub 1973)."""
    Qa, _ = np.linalg.qr(A - A.mean(axis=0))
    Qb, _ = np.linalg.qr(B - B.mean(axis=0))
    return float(np.linalg.svd(Qa.T @ Qb, compute_uv=False)[0])
