package io.oncegate.benchmarks;

/**
 * One comparison.
 *
 * @param path what is compared with what
 * @param threads how many threads run either side
 * @param batch how many operations one body is; with more than one no latency is told
 * @param bare the side without protection
 * @param guarded our side
 * @param goal what the ratio should be
 * @param known what was measured by hand before, and what the peers have
 */
record Row(String path, int threads, int batch, Side bare, Side guarded, Goal goal, String known) {
    static Row of(String path, int threads, Side bare, Side guarded) {
        return new Row(path, threads, 1, bare, guarded, Goal.NONE, "");
    }

    Row batch(int size) {
        return new Row(path, threads, size, bare, guarded, goal, known);
    }

    Row goal(Goal wanted) {
        return new Row(path, threads, batch, bare, guarded, wanted, known);
    }

    Row known(String text) {
        return new Row(path, threads, batch, bare, guarded, goal, text);
    }
}
