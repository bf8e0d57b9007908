/**
 *     node scripts/taught.ts FILE [ARGUMENT ...]
 *
 * Runs a program of the tree that a script of package.json names. With `--help` it prints the comment at the top of the
 * file instead, which says what the program does and takes; an option is refused, since none takes any.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const WIDTH = 100

/** The comment, or the docstring of Python, without its marks. */
function commentOf(text: string): string {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(text) ?? /^"""(.*?)"""/s.exec(text) ?? []
  return comment
    .replaceAll(/^ \*(?: |$)/gm, '')
    .replaceAll('``', '`')
    .trim()
}

/** Paragraphs, filled again to one width; what is indented stays. */
const filled = (comment: string) =>
  comment
    .split(/\n{2,}/)
    .map((paragraph) => (/^ {4}/m.test(paragraph) ? paragraph : wrapped(paragraph.split(/\s+/))))
    .join('\n\n')

function wrapped(words: readonly string[]): string {
  const lines = ['']
  for (const word of words) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

function otherBenches(file: string): string {
  if (!file.startsWith('test/bench/')) return ''
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> }
  const names = Object.keys(scripts).filter((name) => scripts[name]?.includes(' test/bench/'))
  return `\n${wrapped(`Benches, each with --help: ${names.join(', ')}.`.split(' '))}\n`
}

const [file = '', ...args] = process.argv.slice(2)
const help = () => `${filled(commentOf(readFileSync(resolve(root, file), 'utf8')))}\n${otherBenches(file)}`
const option = args.find((arg) => /^--?[a-z]/i.test(arg))
if (option === '--help' || option === '-h') process.stdout.write(help())
else if (option !== undefined) {
  process.stderr.write(`There is no option ${option}.\n\n${help()}`)
  process.exitCode = 2
} else if (file.endsWith('.py'))
  process.exitCode = spawnSync('python3', [file, ...args], { stdio: 'inherit' }).status ?? 1
else {
  process.argv.splice(1, 2, resolve(root, file))
  await import(pathToFileURL(resolve(root, file)).href)
}
