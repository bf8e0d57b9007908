/** Which model file of a repo is shown. Pure. */

/**
 * MJCF and URDF files that may be models, the likeliest first: the card's, then scenes, then those nearest to the root.
 */
export function modelChoices(paths: Iterable<string>, ofCard: string | null): string[] {
  const found = [...paths].filter((path) => /\.(xml|mjcf|urdf)$/i.test(path))
  const rank = (path: string) =>
    (path === ofCard ? 0 : 1) * 1_000 + (path.split('/').length - 1) * 10 + (isScene(path) ? 0 : isUrdf(path) ? 2 : 1)
  return found.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).slice(0, MAX_CHOICES)
}

const MAX_CHOICES = 50

const isScene = (path: string) => /(^|\/)scene\.xml$/i.test(path)
const isUrdf = (path: string) => /\.urdf$/i.test(path)
