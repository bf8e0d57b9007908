/** What no kept rule knows: the credentials of a hub, and private keys that the kept rule is too strict for. */

import { isKeyToken } from '@hub/formats/key-token'
import type { rules } from '@secretlint/secretlint-rule-preset-recommend'

type Rule = (typeof rules)[number]

/** A rule of its kind, from the places in a text: pairs of start and end. */
function ruleOf(name: string, kind: string, places: (text: string) => Iterable<readonly [number, number]>): Rule {
  const text = () => `found ${kind}`
  const messages = { FOUND: { en: text, ja: text } }
  return {
    messages,
    meta: { id: `hub/${name}`, type: 'scanner', recommended: true, supportedContentTypes: ['text'] },
    create(context) {
      const translate = context.createTranslator(messages)
      return {
        file({ content }) {
          for (const range of places(content)) context.report({ message: translate('FOUND'), range })
        },
      }
    },
  }
}

function* matches(text: string, pattern: RegExp, isReal: (match: string) => boolean) {
  for (const { index, 0: match } of text.matchAll(pattern))
    if (isReal(match)) yield [index, index + match.length] as const
}

const keyPattern = /hub_key_[0-9A-Za-z]{36}(?![0-9A-Za-z])/g

/** Sessions of people, and what lets a device in. */
const tokenTypes: readonly unknown[] = ['hub-session+jwt', 'svc-approval+jwt', 'svc-session+jwt']
const tokenPattern = /\beyJ[\w-]{10,1000}\.[\w-]{10,8000}\.[\w-]{86}(?![\w-])/g

function isToken(text: string): boolean {
  try {
    const encoded = text.slice(0, text.indexOf('.')).replaceAll('-', '+').replaceAll('_', '/')
    const header = JSON.parse(atob(encoded))
    return tokenTypes.includes(header?.typ)
  } catch {
    return false
  }
}

/**
 * Also the short keys of Ed25519 and of elliptic curves, encrypted ones, and keys in a string with `\n`: a line of 40
 * characters or more that begins as DER, OpenSSH or PGP begins. Placeholders are shorter or begin otherwise.
 */
const privateKeyPattern =
  /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[\s"'+,])*(?:[\w-]{1,40}: [^\n]{0,200}\n\s*){0,4}(?:M[A-P]|b3BlbnNzaC1rZXkt|[lx][A-Za-z])[A-Za-z0-9+/]{38}/g

export const ownRules: readonly Rule[] = [
  ruleOf('key', 'API key of a hub', (text) => matches(text, keyPattern, isKeyToken)),
  ruleOf('token', 'session or approval of a hub', (text) => matches(text, tokenPattern, isToken)),
  ruleOf('private-key', 'private key', (text) => matches(text, privateKeyPattern, () => true)),
]
