/** The documents say what is there: paths, links, settings, and the states of runs, checks and uploads. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loginMoves } from '../src/accounts/device-login/device-login.ts'
import { holdMoves } from '../src/billing/holds/hold-state.ts'
import { checkTransitions } from '../src/checks/check-state.ts'
import { approvalTransitions } from '../src/endpoints/approvals/approval-state.ts'
import { sessionTransitions } from '../src/endpoints/sessions/session-state.ts'
import { uploadTransitions } from '../src/files/upload-state.ts'
import { environment } from '../src/platform/config-environment.ts'
import { runTransitions } from '../src/runs/run-state.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const documents = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].sort()

/** As GitHub makes the anchor of a heading. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchors = (path: string) => [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading))

const folders = '(?:packages|src|schema|rest-compat|hf-compat|test|docs|prisma|scripts|examples)'
/** `src/runs/run-state.ts`, `src/runs/` in code marks; names with a placeholder or wildcard are none. */
const namedPath = new RegExp(`\`(${folders}/[\\w./-]*)\``, 'g')

it('has the documents that a stranger is sent to', () => {
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'docs/adding-an-operation.md', 'docs/operations.md', 'docs/states.md']),
  )
})

describe.each(documents)('%s', (document) => {
  it('names only files and folders that are there', () => {
    const named = [...read(document).matchAll(namedPath)].map(([, path = '']) => path)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('links only to what is there', () => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    const broken = links.filter(([, path = '', place]) => {
      const target = path === '' ? document : join(dirname(document), path)
      return !existsSync(join(root, target)) || (place !== undefined && !anchors(target).includes(place))
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })
})

describe('the contract', () => {
  const cited = /[Cc]ontract, ("[^"\n]+"(?:(?:,| and|, and) "[^"\n]+")*)/g
  const headings = new Set([...read('docs/contract.md').matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading))

  it('has every chapter that the code cites', () => {
    const files = globSync(
      '{src,schema,rest-compat,hf-compat,test,web/src,clients,packages,prisma/schema}/**/*.{ts,tsx,py,prisma}',
      {
        cwd: root,
        exclude: (path) => /node_modules|[\\/]dist[\\/]?/.test(path),
      },
    )
    const chapters = files.flatMap((file) =>
      [...read(file).matchAll(cited)].flatMap(([, names = '']) =>
        [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => `${file}: ${name}`),
      ),
    )
    expect(chapters.length).toBeGreaterThan(100)
    expect(chapters.filter((chapter) => !headings.has(chapter.replace(/^[^:]+: /, '')))).toEqual([])
  })
})

describe('the decisions', () => {
  const pages = globSync('docs/decisions/*.md', { cwd: root }).sort()
  const titles = (page: string) => [...read(page).matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)

  it('are all in the index', () => {
    const listed = [...read('docs/decisions.md').matchAll(/^- \[(.+)\]\((decisions\/[\w-]+\.md)#/gm)]
    const places = listed.map(([, title = '', page = '']) => `docs/${page}: ${title}`)
    expect(places.sort()).toEqual(pages.flatMap((page) => titles(page).map((title) => `${page}: ${title}`)).sort())
  })

  it.each(pages)('%s says when each was made, and whether it holds', (page) => {
    const dated = [...read(page).matchAll(/^## (.+)\n\n\*\d{4}-\d\d-\d\d, (?:accepted|superseded by \[)/gm)]
    expect(dated.map(([, title]) => title)).toEqual(titles(page))
  })

  it('are there where the code cites them', () => {
    const files = globSync('{src,schema,rest-compat,hf-compat,test,web/src,packages}/**/*.{ts,tsx}', {
      cwd: root,
      exclude: (path) => /node_modules|[\\/]dist[\\/]?/.test(path),
    })
    const cited = files.flatMap((file) =>
      [...read(file).matchAll(/(docs\/decisions[\w/-]*\.md), "([^"\n]+)"/g)].map(([, page = '', title = '']) => ({
        file,
        page,
        title,
      })),
    )
    expect(cited.length).toBeGreaterThan(4)
    expect(cited.filter(({ page, title }) => !existsSync(join(root, page)) || !titles(page).includes(title))).toEqual(
      [],
    )
  })
})

it('README.md gives a reason for each package that the server installs', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const named = new Set([...read('README.md').matchAll(/`([^`\n]+)`/g)].map(([, name]) => name))
  const own = globSync('{packages,clients}/*/package.json', { cwd: root }).map(
    (path) => (JSON.parse(read(path)) as { name: string }).name,
  )
  const unnamed = Object.keys(dependencies).filter((name) => !named.has(name) && !own.includes(name))
  expect(unnamed).toEqual([])
})

it('docs/operations.md has every setting, and no other', () => {
  const rows = read('docs/operations.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const listed = rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name),
  )
  expect(listed.sort()).toEqual(Object.keys(environment.shape).sort())
})

describe('docs/states.md draws', () => {
  const sections = read('docs/states.md').split(/^## /m)
  const of = (title: string) => sections.find((section) => section.startsWith(`${title}\n`)) ?? ''
  const arrows = (text: string) =>
    new Set([...text.matchAll(/^ {2}(\w+) --> (\w+): (\w+)/gm)].map(([, from, to, by]) => `${from} ${by} ${to}`))

  it('every transition of a run, and no other', () => {
    const table = runTransitions.map(({ from, trigger, to }) => `${from} ${trigger} ${to}`)
    expect(arrows(of('Run'))).toEqual(new Set(table))
  })

  it('every transition of a check, and no other', () => {
    const table = checkTransitions.map(({ from, trigger, to }) => `${from} ${trigger} ${to}`)
    expect(arrows(of('Robot check'))).toEqual(new Set(table))
  })

  it('every transition of an approval, and no other', () => {
    const table = approvalTransitions.map(({ from, trigger, to }) => `${from} ${trigger} ${to}`)
    expect(arrows(of('Approval'))).toEqual(new Set(table))
  })

  it('every transition of a session, and no other', () => {
    const table = sessionTransitions.map(({ from, trigger, to }) => `${from} ${trigger} ${to}`)
    expect(arrows(of('Endpoint session'))).toEqual(new Set(table))
  })

  it('every transition of an upload, and no other', () => {
    const table = Object.entries(uploadTransitions).flatMap(([event, { from, to }]) =>
      from.map((state) => `${state} ${event} ${to}`),
    )
    expect(arrows(of('Upload'))).toEqual(new Set(table))
  })

  it('every transition of a sign-in, and no other', () => {
    const table = Object.entries(loginMoves).map(([trigger, { from, to }]) => `${from} ${trigger} ${to}`)
    expect(arrows(of('Sign-in'))).toEqual(new Set(table))
  })

  it('every transition of a spend hold, and no other', () => {
    const table = Object.entries(holdMoves).map(([trigger, to]) => `pending ${trigger} ${to}`)
    expect(arrows(of('Spend hold'))).toEqual(new Set(table))
  })
})
