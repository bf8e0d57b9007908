/** What `.dockerignore` leaves of a folder. */
import picomatch from 'picomatch'

/** Whether a path goes into the build: the last pattern that names it or a folder above it decides. */
export function contextFilter(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keeps: line.startsWith('!'), matches: picomatch(line.replace(/^!/, ''), { dot: true }) }))
  return (path) => {
    const places = path.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'))
    const last = rules.findLast(({ matches }) => places.some((place) => matches(place)))
    return last?.keeps ?? true
  }
}
