/**
 * The head of a page of a public repo, or of the account that has one, by which chat programs unfold a link to it (Open
 * Graph), and search engines name it. Pure.
 */
import { isId } from '@hub/formats/ids'
import { type PageMatch, type PageName, pagePath } from '@hub/formats/page-paths'
import { countText } from '@hub/text/amounts'
import { hiddenCharacters } from '@hub/text/hidden-characters'
import { type AskedFrame, noFrame, type SharedRepo } from '../cards/shared-repo.ts'
import { filmObjects } from '../films/film-objects.ts'
import { FILM_SIZE } from '../films/limits.ts'
import type { SharedAccount } from '../profiles/shared-account.ts'
import { escapeHtml } from './html.ts'

/** Programs cut a description after 200 to 300 characters themselves. */
const MOST_DESCRIPTION = 300
const MOST_TITLE = 120
/** Of the query of a link: a longer one, such as a map of joints, is left out of the page's own address. */
const MOST_QUERY = 1500

/** What the pages of a repo show of it, in the title before its name; others have its name alone. */
const parts: Partial<Record<PageName, string>> = {
  repoFiles: 'Files',
  repoHistory: 'History',
  repoFileHistory: 'History',
  repoCompare: 'Changes',
  repoRuns: 'Runs',
  repoRobot: 'Robot in 3D',
  repoRollouts: 'Rollouts',
  repoMap: 'Map of joints',
}

/** Pages for people who can write the repo. */
const forWriters: ReadonlySet<PageName> = new Set(['repoSettings', 'repoEdit'])

/** The name of the repo whose head a page has; null for every other page. */
export function sharedName(match: PageMatch | null): { readonly owner: string; readonly slug: string } | null {
  const { owner, repo } = match?.params ?? {}
  if (!match || owner === undefined || repo === undefined || forWriters.has(match.name)) return null
  return { owner, slug: repo }
}

/** The handle of the account whose head a page has; null for every other page. */
export function sharedHandle(match: PageMatch | null): string | null {
  return match?.name === 'account' ? (match.params.handle ?? null) : null
}

export interface AskedPage {
  readonly match: PageMatch
  readonly query: URLSearchParams
  /** Of links, without a trailing slash. */
  readonly origin: string
}

/** The elements of the head of a page about this repo, in place of its `title`. */
export function pageHead(page: AskedPage, repo: SharedRepo): string {
  const name = `${repo.owner}/${repo.slug}`
  const part = partOf(page, repo)
  const title = cut(part === null ? name : `${part} · ${name}`, MOST_TITLE)
  const description = cut(plain(descriptionOf(page.match.name, repo)), MOST_DESCRIPTION)
  const { still, video } = filmsOf(repo)
  const path = still ?? (repo.picture && filePath(repo, repo.picture))
  return elements({
    ...{ title, description, type: 'website', address: addressOf(page, repo) },
    picture: path === null ? null : { address: `${page.origin}${path}`, alt: `A picture of ${name}` },
    card: path === null ? 'summary' : 'summary_large_image',
    more: video === null ? [] : videoOf(`${page.origin}${video}`),
  })
}

/** The elements of the head of the page of this account, in place of its `title`. */
export function accountHead(origin: string, account: SharedAccount): string {
  const { kind, handle, avatar } = account
  const name = plain(account.name ?? '')
  const what = kind === 'org' ? 'An organization' : 'A person'
  return elements({
    title: cut(name === '' ? `@${handle}` : `${name} (@${handle})`, MOST_TITLE),
    description: `${what} with ${ownedBy(account)}.`,
    ...{ type: 'profile', address: `${origin}${pagePath('account', { handle })}` },
    picture: avatar === null ? null : { address: `${origin}${avatar}`, alt: `The picture of @${handle}` },
    card: 'summary',
    more: [property('profile:username', handle)],
  })
}

function ownedBy({ datasets, models, robots, areAll }: SharedAccount): string {
  const kinds = [
    [datasets, 'data set'],
    [models, 'model'],
    [robots, 'robot'],
  ] as const
  const told = kinds
    .filter(([count]) => count > 0)
    .map(([count, noun]) => (areAll ? countText(count, `public ${noun}`) : `public ${noun}s`))
  return new Intl.ListFormat('en').format(told)
}

interface Head {
  readonly title: string
  readonly description: string
  readonly type: 'website' | 'profile'
  readonly address: string
  readonly picture: { readonly address: string; readonly alt: string } | null
  readonly card: 'summary' | 'summary_large_image'
  /** Other properties. */
  readonly more: readonly string[]
}

function elements({ title, description, type, address, picture, card, more }: Head): string {
  return [
    `<title>${escapeHtml(`${title} · Hub`)}</title>`,
    `<meta name="description" content="${escapeHtml(description)}" />`,
    `<link rel="canonical" href="${escapeHtml(address)}" />`,
    property('og:site_name', 'Hub'),
    property('og:type', type),
    property('og:title', title),
    property('og:description', description),
    property('og:url', address),
    ...(picture === null ? [] : [property('og:image', picture.address), property('og:image:alt', picture.alt)]),
    ...more,
    `<meta name="twitter:card" content="${card}" />`,
  ].join('\n    ')
}

const videoOf = (address: string) => [
  property('og:video', address),
  property('og:video:type', filmObjects.video.contentType),
  property('og:video:width', String(FILM_SIZE.width)),
  property('og:video:height', String(FILM_SIZE.height)),
]

const property = (name: string, content: string) => `<meta property="${name}" content="${escapeHtml(content)}" />`

function partOf({ match, query }: AskedPage, repo: SharedRepo): string | null {
  if (repo.motion !== null) return `Seed ${repo.motion.seed} of ${repo.motion.model}`
  if (match.name === 'repoEpisodes') return episodeOf(query, repo) ?? 'Episodes'
  return parts[match.name] ?? null
}

/** The episode and the frame that a page of episodes is asked for, or the kept motion; nothing of other pages. */
export function askedFrame({ match, query }: Pick<AskedPage, 'match' | 'query'>): AskedFrame {
  const asked = (name: string) => numberOf(query.get(name), Number.POSITIVE_INFINITY)
  if (match.name === 'repoEpisodes') return { ...noFrame, episode: asked('episode'), frame: asked('frame') }
  if (match.name !== 'repoRollouts' || !query.has('kept')) return noFrame
  const [, , id = ''] = query.get('one')?.split('/') ?? []
  return { episode: null, frame: asked('frame'), rolloutId: isId('roll', id) ? id : null, seed: asked('seed') }
}

/** Null for an episode that the data set does not have. A frame is one of its episode: how many it has is not known. */
function episodeOf(query: URLSearchParams, { episodeCount, totalFrames }: SharedRepo): string | null {
  const episode = numberOf(query.get('episode'), episodeCount ?? 0)
  if (episode === null) return null
  const frame = numberOf(query.get('frame'), totalFrames ?? 0)
  return frame === null ? `Episode ${episode}` : `Episode ${episode}, frame ${frame}`
}

/** A number from 0 and below `count`; null for any other text. */
function numberOf(text: string | null, count: number): number | null {
  if (text === null || !/^\d{1,9}$/.test(text)) return null
  return Number(text) < count ? Number(text) : null
}

function descriptionOf(page: PageName, repo: SharedRepo): string {
  const { description, prettyName } = repo
  const result = repo.motion ?? repo.result
  const results =
    page === 'repoRollouts' && result !== null
      ? `${result.task} on ${result.robot}: ${result.successes} of ${countText(result.seeds, 'rollout')} succeeded.`
      : null
  return [results, prettyName && `${prettyName}.`, `${factsOf(repo)}.`, description].filter(Boolean).join(' ')
}

function factsOf({ kind, episodeCount, totalFrames, fps, robotType, policyType, robot }: SharedRepo): string {
  if (kind === 'robot') return 'A robot'
  if (kind === 'model') return `A model${robot === null ? '' : ` for ${robot}`}${policyType ? `, ${policyType}` : ''}`
  const facts = [
    robotType === null ? 'A data set' : `A data set of ${robotType}`,
    episodeCount === null ? null : countText(episodeCount, 'episode'),
    totalFrames === null ? null : countText(totalFrames, 'frame'),
    fps === null ? null : `${fps} frames a second`,
  ]
  return facts.filter(Boolean).join(', ')
}

/** One line, in which nothing hides and nothing is shown in another order. */
const plain = (text: string): string =>
  text
    .toWellFormed()
    .replace(new RegExp(`(?:${hiddenCharacters}|\\s)+`, 'gu'), ' ')
    .trim()

/** At most so many code points. */
function cut(text: string, most: number): string {
  const points = Array.from(text)
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`
}

/** What no page of a repo has stays unused. */
const anyParams = { handle: '', id: '', path: '', robot: '', robotOwner: '' }

/** The page under the name that the repo has now. A program may open this one instead of the link that it was given. */
function addressOf({ match, query, origin }: AskedPage, { owner, slug }: SharedRepo): string {
  const path = pagePath<PageName>(match.name, { ...anyParams, ...match.params, owner, repo: slug })
  const search = query.toString()
  return `${origin}${path}${search === '' || search.length > MOST_QUERY ? '' : `?${search}`}`
}

/** Paths of the films that stand for the page; null without one. Those of a kept motion stand on its model. */
function filmsOf({ owner, slug, motion, ...of }: SharedRepo) {
  const { still, video } = motion ?? of
  const path = (id: string | null) => id && `/v1/repos/${motion?.model ?? `${owner}/${slug}`}/episode-films/${id}/file`
  return { still: path(still), video: path(video) }
}

const filePath = ({ owner, slug }: SharedRepo, path: string) =>
  `/v1/repos/${owner}/${slug}/resolve/${path.split('/').map(encodeURIComponent).join('/')}`
