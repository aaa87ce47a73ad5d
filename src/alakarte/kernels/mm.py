"""`mm`: a mixture of Matérn kernels, each around a centre frequency: `gm` for functions that are not smooth.

k(τ) = Σ_q v_q² g_ν(‖a_q∘τ‖) cos μ_qᵀτ        beyond the paper; as ν grows it becomes gm
"""

from alakarte.kernels.base import Kernel, input_scale
from alakarte.kernels.gm import mixture_parameters, mixture_pullback, mixture_start
from alakarte.kernels.matern import check_smoothness, matern_form, matern_radii
from alakarte.records import Spectrum


class MaternMixture(Kernel):
    """Spectral mixture with heavy tails: smoothness `nu` of 0.5, 1.5 or 2.5 for all components.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> from alakarte.kernels import MaternMixture
    >>> model = GPRegressor(MaternMixture(nu=2.5), n_components=3)
    """

    name = "mm"
    has_components = True

    def __init__(self, nu=1.5, *, fixed=None, bounds=None):
        super().__init__(fixed=fixed, bounds=bounds)
        self.nu = nu

    def parameters(self, shape):
        """log_amplitude (Q,), log_lengthscale (Q, d), centre (Q, d)."""
        check_smoothness(self.nu)
        return mixture_parameters(shape)

    def start(self, shape, summary, draws, rng, fraction):
        """As gm."""
        return mixture_start(shape, summary, rng)

    def spectrum(self, values, draws):
        """ω = a∘z ± μ, z multivariate t."""
        radii = matern_radii(draws, self.nu)
        return Spectrum(values["log_amplitude"], input_scale(values), radii, centre=values["centre"])

    def pullback(self, values, draws, bar):
        """By log v, log ℓ and μ."""
        return mixture_pullback(values, bar)

    def closed_form(self, values):
        """Matérn, times the cosine that `centre` brings."""
        return matern_form(self.nu)
