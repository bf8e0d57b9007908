/** Secrets in a text, by the rules that Secretlint keeps and the hub's own. Loaded only for a push or an upload. */
import { lintSource } from '@secretlint/core'
import { rules as kept } from '@secretlint/secretlint-rule-preset-recommend'
import { ownRules } from './own-rules.ts'

/** A secret, without itself. */
export interface FoundSecret {
  /** From 1. */
  readonly line: number
  /** `GitHub Token`. */
  readonly kind: string
}

/** They find passwords in URLs, which in documentation are mostly examples. What is refused must be a secret. */
const guessing = ['@secretlint/secretlint-rule-basicauth', '@secretlint/secretlint-rule-database-connection-string']

const rules = [...kept.filter(({ meta }) => !guessing.includes(meta.id)), ...ownRules]

const preset = {
  meta: { id: 'hub', recommended: true, type: 'preset' as const },
  rules: [...rules],
  create(context: { registerRule(rule: (typeof rules)[number]): void }) {
    for (const rule of rules) context.registerRule(rule)
  },
}

/**
 * The secrets of a text, by line; one of each kind a line. `file` names it, by whichever path. A line after
 * `secretlint-disable-next-line`, or one with `secretlint-disable-line`, has none.
 */
export async function secretsIn(text: string, file: string): Promise<FoundSecret[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: file, ext: /[^./\\](\.[^./\\]*)$/.exec(file)?.[1] ?? '', contentType: 'text' },
    options: { maskSecrets: true, config: { rules: [{ id: preset.meta.id, rule: preset }] } },
  })
  const found = new Map<string, FoundSecret>()
  for (const { loc, message } of messages) {
    const one = { line: loc.start.line, kind: kindOf(message) }
    found.set(`${one.line} ${one.kind}`, one)
  }
  return [...found.values()].sort((a, b) => a.line - b.line)
}

/** `found GitHub Token(…): …` without what follows the name, in which the secret may be. */
const kindOf = (message: string) => message.replace(/^found /, '').replace(/\s*[(:].*$/s, '')
