"""Every number that steers an automatic choice, with its reason. Nothing here is chosen by a clock or by a data set.

*Effort* is counted in flops (`cost`), *told apart* in nats, *worth it* as nats gained per flop, *borne* as rows per
parameter. docs/how_a_fit_goes.md tells the story that these numbers make.
"""

# --- which kernels -------------------------------------------------------------------------------------------------
CLOSED_MENU = ("rbf", "ard", "matern32", "gm", "mm")  # where closed forms are cheap: features are poor at rough ones
FEATURE_MENU = ("rbf", "ard", "pwl", "gm")  # beyond
MENU_OF_FEW_ROWS = ("rbf",)  # no candidates beyond FEW_ROWS: `ard` has it within at a small price
# Few rows: candidates that the evidence cannot tell apart are averaged; beyond, they are told apart, and each has an
# n×n factor.
FEW_ROWS = 2500
LEAST_WEIGHT = 0.01  # in an average: a kernel with less is left out
CONTENDERS = 2  # of the best are learned further, those less than DROPPED_OF_MANY behind
NEAR = 0.1  # nats per row between the two best starts of a mixture, at most: both are tried on more rows
HOPELESS = 0.3  # nats per row behind the best after the first steps: learned no further
DROPPED = 6.0  # √N nats behind the best, as expected on all N rows from some: learned no further, for its weight in
DROPPED_OF_MANY = 1.0  # an average would be e^−6; and where there is no average, this many
# The same kernel, learned twice, differs by some nats: compressed tails must gain more, in all and per row.
CLEARLY, CLEARLY_PER_ROW = 20.0, 0.005
FAR_OUT = 4.0  # edges from the median: an input further out than this is worth a try with compressed tails
TAIL_ROWS = 100_000  # on which the tails of inputs are looked for

# --- intervals: how observations spread about predictions, by rows left out -------------------------------------------
LEFT_OUT_ROWS = 2000  # of features: a scale to two per cent, for a few per cent of a fit
DOFS = (3.0, 4.0, 6.0, 10.0, 20.0)  # degrees of freedom that are tried; fewer have no variance to speak of
# Expected standard deviation of the logarithms of the two numbers by which rows left out correct log odds: without it
# few rows took both to their bounds; sharp borders of generated rows asked for 0.4 and 1.2.
ODDS_SPREAD = 0.5

# --- transforms of the target: as it is, its logarithm, or a power ----------------------------------------------------
TRANSFORM_ROWS, TRANSFORM_ITERATIONS = 500, 20  # of a short fit of one kernel, for each
CLEAR_TRANSFORM = 0.3  # √N nats by which it must beat y itself
TIME_TO_TRANSFORM = 0.2  # of `max_time`, for all of them

# --- rows per parameter: fewer over-fit the evidence itself, and intervals become too narrow ------------------------
ROWS_TO_BEAR = 2  # a component
ROWS_TO_LEARN = 4  # from; also for free frequencies, which held-out rows must confirm
ROWS_TO_SPARE = 12  # for twice the components under `max_time`, and for centres that move freely
ROWS_IN_PLENTY = 60  # twice as many components at once
FIRST_COMPONENTS, MOST_COMPONENTS = 4, 32
VANISHED = 1e-5  # fraction of the variance below which a component is dropped

# --- frequencies: with few, a kernel fits those that it has drawn -----------------------------------------------------
LEARNING_FREQUENCIES = 128
# Columns that a mixture learns with, and the flops that an evaluation may cost for that.
LEARNING_COLUMNS = ((16384, 1e9), (8192, 2e9), (4096, 3e9), (2048, 4e9), (1024, 1.5e10), (512, 1.5e10))
SECOND_COLUMNS = 1024  # to learn further with,
MORE = 0.02  # where more columns gained, or fresh ones lost, so many nats per row
COMPARE_FLOPS, COMPARE_COLUMNS = 1.25e10, (512, 2048)  # at which kernels are compared and growth begins
GROWTH = 0.002  # nats per row: columns are added up to where twice as many are expected to gain less
GROWTH_STEP = 1.3  # times the columns at least, else a step is not worth its pass
GROWTH_FLOPS = 4e12  # of one posterior
GROWTH_BYTES = 5.5e8  # of its symmetric matrices: 4,096 columns
COLUMNS_BESIDE = 2048  # at most, where neighbours are tried: they have what more would bring, at a quarter of the cost
MOST_COLUMNS = 4096  # of few rows: rows may join them, and then a D×D matrix is made
FREE_FREQUENCIES = (64, 1024)  # least and most that are set free
FREE_ROWS = 100_000  # at most
FREE_ITERATIONS = 40
HELD_ROWS, HELD_FRACTION = 2000, 0.1  # that decide about them, at most so many and such a fraction of the rows

# --- closed forms: flops of an evaluation ---------------------------------------------------------------------------
LEARN_CLOSED_FLOPS = 5e9  # up to here kernels learn with it: 1,650 rows of few inputs
KEEP_CLOSED_FLOPS = 16 * LEARN_CLOSED_FLOPS  # the posterior has it: as many rows are no dearer than as many columns
JOIN_CLOSED_FLOPS = 2 * KEEP_CLOSED_FLOPS  # rows that join may make it so dear before it turns into features

# --- rows and iterations of each stage ------------------------------------------------------------------------------
SCREEN_ROWS = 1000  # for the starts,
FIRST_ROWS = 200  # and in closed form, where an evaluation costs n³: they tell good starts from bad ones, too
# In closed form before a long run with features, where these have fewer frequencies per input: few fit their own draws.
CLOSED_SCREEN_ROWS, FREQUENCIES_PER_INPUT = 800, 6
RUNG_NATS = 0.001  # per row: a long run in closed form goes on to more rows, or ends, where a window gains less
# Of the two best starts of a mixture on more rows, and of inputs with and without compressed tails:
TRIAL_ITERATIONS = 8
JUMP = 0.15  # nats per row that more rows may cost before more noise is tried
MORE_NOISE = (0.001, 0.01, 0.1, 1.0)  # variances, where that of y is one: few rows may have been fitted without any
SMALL_ROWS = 8000  # up to here the long run sees all rows, and length-scales are expected to be alike
MAIN_ROWS = 4000  # of more
DEAR_ITERATIONS = 15  # in closed form on more rows than LEARN_CLOSED_FLOPS allow
SECOND_ITERATIONS, SECOND_ITERATIONS_OF_ALL = 15, 60  # with more frequencies; where the long run saw all rows
LAST_ITERATIONS = 5
LAST_FLOPS = 4e11  # of the last stage: all rows where they suffice, as many as they suffice for else
DOUBLINGS = 4  # of refinement under `max_time`, each with twice the columns
DOUBLING_FLOPS = 16  # and so many times the flops of its last stage
SPREAD = 1.0  # expected standard deviation of log ℓ within a component, where rows are few

# --- waves: lines of the spectrum that rows show ----------------------------------------------------------------------
WAVE_MENU = ("gm", "mm", "ssgpr")  # that join where there are lines, if they are not there
WAVE_KERNELS = ("gm", "mm")  # alone for a series of few rows; averaged evenly: the evidence does not see far ahead
MOST_BANDS = (6, 10)  # components with a centre, of one input and of more: patterns of two have sums of two waves
MOST_LINES = 64  # that they are made of
MOST_FREQUENCIES = 32  # of `ssgpr` beside the lines, for what is smooth
WAVE_ROWS = (30_000, 1000)  # that lines are looked for on: of up to three inputs, and of more
WAVE_INPUTS = 32  # at most: beyond, nothing is looked for
WAVE_FLOPS = 2e6  # per row, where there are many lines
# Nats per row, of the few of first steps, that closed forms may be behind free frequencies, or climb no rung: exact
# patterns left them 0.12 to 0.35 behind, photographs and generated walls and weaves had them in the lead.
NO_PATTERN = 0.05
WAVE_STEP = 0.1  # of 2π/range, by which frequencies are moved: further off they lose their line

# --- trends of a series: the evidence of its rows says little of what lies ahead --------------------------------------
CLEAR_TREND = 0.5  # of the variance: a line that explains less may be an accident of where the rows begin and end
TREND_SMOOTHNESS = (0.5, 1.5)  # of what goes on beside it: steps and bends
TREND_BEHIND = 0.3  # √N nats that a trend may be behind the best, and lead: of curves it is further behind
TREND_EVALUATIONS = 400  # of a closed form, where `max_time` must have time for them

# --- rows given their neighbours --------------------------------------------------------------------------------------
# Rows, neighbours and iterations of each stage; the first, a glance, tell whether there is hope. Few rows over-fit.
LOCAL_STAGES = ((500, 24, 10), (500, 24, 20), (1000, 48, 20), (4000, 48, 15), (4000, 48, 20))
LOCAL_GLANCES = 2  # so that it shows how fast one learns
LOCAL_ROWS = 4000  # the most of these
LOCAL_NOISE = 0.1  # variance to begin with, in that of the targets
FRESH_ROWS = 2000  # that decide between features and neighbours
LOCAL_NOISE_STEP = 2.0  # times the noise variance, for as long as these rows are better told with it
CLEAR_LEAD = 2.0  # standard errors by which neighbours must lead features there
LOCAL_HOPE = 0.1  # nats per row of neighbours alone and beside features behind each other after a glance: no further
WORST_ROW = 5.0  # nats that a row may take from that hope
TIME_FOR_NEIGHBOURS = 0.3  # of `max_time` at most is kept for them,
NEIGHBOUR_RUNS = 4  # and so many times the seconds of learning once: alone, on the rest, and what is around it
TOGETHER_HOPE = 0.03  # nats per row that neighbours must gain of what features leave, after a glance
# Neighbours alone have a mixture: as good as one Matérn kernel on protein, far better on bike with its periodic hours.
LOCAL_KERNEL, LOCAL_SMOOTHNESS, LOCAL_COMPONENTS = "mm", 0.5, 2
REST_KERNEL, REST_SMOOTHNESS = "matern", 1.5  # of what features leave: they have the smooth part
MOST_LOCAL_ROWS = 5_000_000  # that neighbours are searched among

# Counts: rows, neighbours and iterations of each stage; in the end sites are found so many times.
LATENT_LOCAL_STAGES = ((500, 24, 10), (1000, 32, 15), (2000, 48, 20), (4000, 48, 15))
LATENT_LOCAL_ROUNDS = 2

# --- classes from neighbours ------------------------------------------------------------------------------------------
LEAST_CLASS_ROWS = 3600  # fewer were not tried: features
FEWEST_CLASS_ROWS = 20  # for neighbours by name
MOST_CLASS_VARIABLES = 64  # columns of the table, each with its length-scale: a search tree is of little use among more
CLASS_DIRECTIONS = 64  # of most variance, at most, that neighbours see of more variables,
DIRECTION_ROWS = 4000  # by so many rows
VIEW_HOPE = 0.75  # of the log loss of the shares: directions that leave more after the first stage are left
MOST_SCANNED_ROWS = 1_000_000  # for that: each prediction looks at all of them, ten milliseconds of so many
CLASS_LOCAL_MENU = ("matern12", "matern32")  # compared after all stages but the last
CLASS_LOCAL_STAGES = ((1000, 32, 15), (1000, 48, 20), (4000, 48, 20))  # rows, neighbours, iterations
SHORTEST = 0.08  # length-scale, of standardised inputs: shorter ones leave a row without neighbours
LINK_SPREAD = 2.0  # expected standard deviation of log e₀ and log e₁ of the link about their start
LINK_ITERATIONS = 50  # of three numbers, votes being known
STACK_GAIN = 0.002  # nats per row: less from both together, and one of them goes alone
CLASS_TRIAL_ROWS = 1000  # from which, and half of them, the log loss of features of all rows is guessed
CLASS_HOPE = 1.25  # times the log loss of neighbours: features that are expected to have more are not made

# --- when to stop ---------------------------------------------------------------------------------------------------
WINDOW = 5  # iterations that together must gain `tol` nats, and more than they cost
PRICE = 5e-15  # nats per row that a flop must gain
PATIENCE = 16  # the price is so much lower where the user gives time
MIXED_NATS = 1e-4  # per row: mixed precision must give the evidence to this

# --- steps ------------------------------------------------------------------------------------------------------------
FIRST_STEP = 0.1  # length of the first: slopes of a noise that is too small are steep, and a step of one was in vain
LINE_SEARCH = 8  # points of a line: where none is better, values are rounding, and more points are in vain

# --- starts ---------------------------------------------------------------------------------------------------------
# Times std(y), where fresh frequencies are to be drawn: far above it components cancel each other, fresh ones do not.
LARGEST_AMPLITUDE = 10
SIDE_BY_SIDE = 20_000_000  # rows × frequencies up to which several starts may be in memory at once

# --- sums of kernels: each part is learned apart, then their weights, then all --------------------------------------
FAVOURED = 0.9  # of the variance: one part with most of it, as a start beside equal weights; the best goes on
WEIGHT_ITERATIONS = 10  # of amplitudes and noise alone
COPIES = (0.0, 2.8, 1.4)  # taken from log ℓ of a kernel that is there again: one alone took finer parts for noise

# --- parts of `max_time` --------------------------------------------------------------------------------------------
TIME_TO_COMPARE = 0.1  # in which a kernel can be compared, with so many seconds beyond: its columns are halved
GRACE, LEAST_COLUMNS = 0.2, 64  # until it can, down to the least
TIME_TO_LOOK = 0.1  # for waves: else they are not looked for
TIME_TO_CHOOSE = 0.6  # first stages, comparison, refinement
TIME_TO_SCREEN = 0.5  # of that: the first steps of all candidates
TIME_TO_LEARN = 0.8  # of what is left of it, divided by the rungs to come
TIME_FOR_MORE = 0.95  # of what is left then: more components, columns, rows; 0.6 where free frequencies are to be tried
TIME_TO_GROW = 0.5  # of what is left then, at most, is kept for the columns of the posterior
TIME_FOR_SITES = 0.5  # of `max_time`, with the grace of a comparison: longer, and fewer columns stand for the rows
TIME_FOR_LAST = 0.2  # of what is left then, for further steps under a likelihood that is not normal
TIME_FOR_FREE = 0.9  # of what is left after that
TIME_FOR_PARTS = 0.7  # of the time to choose: the parts of a sum, before their weights

# --- several classes --------------------------------------------------------------------------------------------------
CLASS_GAINS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)  # logarithms of factors of the amplitude, tried in this order
CLASS_FIRST_ROWS, CLASS_ROWS = 1000, 4000  # that gains and kernels are compared on: all kernels, those that help
CLASS_PASSES = 250  # over the rows, to the mode, as a rule
GAIN_TOL = 1e-3  # nats per row to which a mode is sought while gains are compared

# --- other likelihoods: kernels chosen by regression are learned further under the likelihood ------------------------
CHOICE_ROWS = 2000  # on which kernels are chosen by regression: targets only stand for others
LATENT_CONTENDERS = 3
FIXED_KERNELS = ("rbf", "matern32")  # that compete with these, not learned
KERNELS_IN_UNITS = ("ard", "matern32")  # likewise of several classes, with one length-scale in the units of the inputs,
OTHER_UNITS = 1.5  # where the largest standard deviation of an input is so many times the least
FIXED_LENGTHSCALES = (0.5, 1.0, 2.0, 4.0)  # of fixed kernels, times the median distance of rows
LATENT_FIRST_ROWS = 300  # on which kernels are learned first
LATENT_GAINS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5)  # logarithms of factors of the amplitude, tried in this order
LATENT_ITERATIONS, LATENT_LAST_ITERATIONS = 12, 2  # on these rows; on more
LATENT_LAST_FLOPS = 2e10  # of those
LATENT_STEPS = 4  # to the sites of an evaluation, as a rule
LATENT_TOL = 1e-5  # nats per row to which sites are sought while a kernel is learned
