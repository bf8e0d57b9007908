/** The GraphQL documents that stand as texts in the tests, with their places. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DocumentNode, parse } from 'graphql'
import { type ESTree, parseSync, Visitor } from 'vite'

const root = join(import.meta.dirname, '../..')

export interface FoundDocument {
  readonly file: string
  readonly line: number
  /** With a `hole` for what the test puts in, unless that is a text of the same file. */
  readonly text: string
  readonly isWhole: boolean
  /** As it stands, TypeScript knows its text. */
  readonly isLiteral: boolean
  readonly document: DocumentNode
}

/** Stands in a document for what is only known when the test runs. */
export const HOLE = 'hole'

/** Begins as an operation does. */
const BEGINNING = /^\s*(?:\{|(?:query|mutation|subscription|fragment)\b)/

/**
 * Every text of a test that is a document. Texts that begin like one and do not parse are something else: JSON, YAML,
 * parts of documents.
 */
export function foundDocuments(): FoundDocument[] {
  const files = globSync('{test,packages/*/test}/**/*.ts', { cwd: root }).sort()
  return files.flatMap((file) => documentsIn(file, readFileSync(join(root, file), 'utf8')))
}

/** Those of one file. */
export function documentsIn(file: string, source: string): FoundDocument[] {
  const { program } = parseSync(file, source)
  const constants = constantsOf(program)
  const found: FoundDocument[] = []
  const add = (node: ESTree.Node) => {
    const made = textOf(node, constants)
    if (made === null || !BEGINNING.test(made.text)) return
    const document = parsed(made.text)
    if (document === null) return
    const line = source.slice(0, node.start).split('\n').length
    const isLiteral = node.type === 'Literal' || (node.type === 'TemplateLiteral' && node.expressions.length === 0)
    found.push({ file, line, document, isLiteral, ...made })
  }
  new Visitor({ Literal: add, TemplateLiteral: add }).visit(program)
  return found
}

function parsed(text: string): DocumentNode | null {
  try {
    return parse(text)
  } catch {
    return null
  }
}

type Constants = ReadonlyMap<string, ESTree.Node>

/** Texts with a name. A name that something else in the file has too stands for neither. */
function constantsOf(program: ESTree.Program): Constants {
  const constants = new Map<string, ESTree.Node>()
  const twice = new Set<string>()
  const hide = (params: readonly ESTree.ParamPattern[]) => {
    for (const param of params) if (param.type === 'Identifier') twice.add(param.name)
  }
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type !== 'Identifier' || !init || !['Literal', 'TemplateLiteral'].includes(init.type)) return
      if (constants.has(id.name)) twice.add(id.name)
      constants.set(id.name, init)
    },
    ArrowFunctionExpression: ({ params }) => hide(params),
    FunctionDeclaration: ({ params }) => hide(params),
    FunctionExpression: ({ params }) => hide(params),
  }).visit(program)
  for (const name of twice) constants.delete(name)
  return constants
}

interface Made {
  readonly text: string
  readonly isWhole: boolean
}

function textOf(node: ESTree.Node, constants: Constants, depth = 0): Made | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? { text: node.value, isWhole: true } : null
  if (node.type !== 'TemplateLiteral' || depth > 4) return null
  let text = ''
  let isWhole = true
  for (const [at, { value }] of node.quasis.entries()) {
    text += value.cooked ?? ''
    const expression = node.expressions[at]
    if (!expression) continue
    const known = expression.type === 'Identifier' ? constants.get(expression.name) : undefined
    const made = known ? textOf(known, constants, depth + 1) : null
    isWhole &&= made?.isWhole ?? false
    text += made?.text ?? holeAt(text, node.quasis[at + 1]?.value.cooked ?? '')
  }
  return { text, isWhole }
}

/** What can stand at the place: a text, a value, arguments, a type, a field, an operation. */
function holeAt(before: string, after: string): string {
  const bare = before.replaceAll(/"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"/g, '')
  if (bare.includes('"')) return HOLE
  const open = (sign: string) => bare.split(sign).length - 1
  if (/[\w$]$/.test(bare) || /^\w/.test(after)) return HOLE
  if (open('(') > open(')')) return /[:[,]\s*$/.test(bare) || /^\s*:/.test(after) ? HOLE : `${HOLE}: ${HOLE}`
  if (open('{') > open('}')) return /^\s*\(/.test(after) && /\)\s*$/.test(bare) ? '' : HOLE
  return bare.trim() === '' ? 'query' : ''
}
