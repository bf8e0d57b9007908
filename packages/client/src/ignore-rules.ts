/** The rules of `.gitignore` and `.hubignore` files, as Git reads them. Pure. */
import ignore, { type Ignore } from 'ignore'

/** A later one wins over an earlier one in the same folder. */
export const ignoreFileNames = ['.gitignore', '.hubignore']

export interface IgnoreRules {
  /** Adds the text of an ignore file in a folder (`''` is the root); before anything in it is asked for. */
  add(folder: string, name: string, text: string): void
  /** The rule that leaves out a path, `<file>: <pattern>`, or null. A folder ends in `/`. */
  ruleFor(path: string): string | null
}

/** The rules of deeper folders win over those of the folders around them. */
export function ignoreRules(): IgnoreRules {
  const levels = new Map<string, Ignore>()

  /** What one folder's files say; null: nothing. */
  function verdict(prefix: string, path: string): { ignored: boolean; rule: string } | null {
    const rules = levels.get(prefix)
    const inside = path.slice(prefix.length)
    const result = rules?.test(inside)
    if (!rules || !result || (!result.ignored && !result.unignored)) return null
    // The folder around it is not left out, or it would not be asked for: a deeper file has taken it back in.
    if (result.ignored && isIn(rules, inside)) return null
    return { ignored: result.ignored, rule: `${result.rule?.mark ?? prefix}: ${result.rule?.pattern ?? ''}` }
  }

  return {
    add(folder, name, text) {
      const prefix = folder === '' ? '' : `${folder}/`
      const rules = levels.get(prefix) ?? ignore({ ignorecase: false })
      for (const pattern of text.normalize('NFC').split(/\r?\n/)) rules.add({ pattern, mark: prefix + name })
      levels.set(prefix, rules)
    },
    ruleFor(path) {
      const parts = path.replace(/\/$/, '').split('/')
      for (let depth = parts.length - 1; depth >= 0; depth -= 1) {
        const prefix = depth === 0 ? '' : `${parts.slice(0, depth).join('/')}/`
        const found = verdict(prefix, path)
        if (found) return found.ignored ? found.rule : null
      }
      return null
    },
  }
}

/** Whether these rules leave out a folder around the path. */
function isIn(rules: Ignore, path: string): boolean {
  const folder = path.replace(/\/$/, '')
  const at = folder.lastIndexOf('/')
  return at > 0 && rules.test(folder.slice(0, at + 1)).ignored
}
