/**
 * Markdown of a repo as elements: no HTML of its author is used, and no image of another site is loaded. A chunk of its
 * own.
 */
import { splitFrontMatter } from '@hub/formats/front-matter'
import { lazy, Suspense } from 'react'
import Markdown, { type Components, type ExtraProps } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { remarkAlert } from 'remark-github-blockquote-alert'
import { Link as PathLink } from 'wouter'
import { codeLanguage } from './files/preview-kind.ts'
import { linkedEpisode } from './linked-episode.ts'
import { targetOf } from './repo-links.ts'
import { useMath } from './use-math.ts'

const Code = lazy(() => import('./files/previews/code.tsx'))
const EmbeddedEpisode = lazy(() => import('./embedded-episode.tsx'))
const Diagram = lazy(() => import('./diagram/diagram.tsx'))

interface Props {
  readonly owner: string
  readonly repo: string
  /** Path of the file that the text is of. */
  readonly path: string
  readonly text: string
}

/** Notes and warnings as GitHub writes them: a quote that begins with `[!NOTE]`. */
const plugins = [remarkGfm, remarkAlert]

type Written = NonNullable<ExtraProps['node']>['children'][number]

/** Whether it is code that is fenced as `mermaid`. */
const isDiagram = (node: Written | undefined): boolean =>
  node?.type === 'element' &&
  node.tagName === 'code' &&
  Array.isArray(node.properties.className) &&
  node.properties.className.includes('language-mermaid')

/** A paragraph that is a link to an episode, and nothing else. */
function episodeOf(node: Written | undefined) {
  if (node?.type !== 'element' || node.tagName !== 'a') return null
  const episode = linkedEpisode(String(node.properties.href ?? ''), location.origin)
  const title = node.children.map((child) => (child.type === 'text' ? child.value : '')).join('')
  return episode && { episode, title: title || `${episode.owner}/${episode.repo}` }
}

export default function RepoMarkdown({ text, ...place }: Props) {
  const { body } = splitFrontMatter(text)
  const math = useMath(body)
  const components: Components = {
    // The title of the page is the one heading of the first level.
    h1: 'h2',
    h2: 'h3',
    h3: 'h4',
    h4: 'h5',
    a: ({ href = '', children }) => {
      const target = targetOf(place, href, 'link')
      if (target === null) return <>{children}</>
      if (target.kind === 'page' && !target.href.startsWith('#'))
        return <PathLink href={target.href}>{children}</PathLink>
      return (
        <a href={target.href} rel="noopener nofollow">
          {children}
        </a>
      )
    },
    p: ({ node, children }) => {
      const [only, ...others] = node?.children ?? []
      const episode = others.length === 0 ? episodeOf(only) : null
      if (episode === null) return <p>{children}</p>
      return (
        <Suspense fallback={<p>{children}</p>}>
          <EmbeddedEpisode {...episode} />
        </Suspense>
      )
    },
    img: ({ src, alt = '' }) => {
      const target = typeof src === 'string' ? targetOf(place, src, 'image') : null
      if (target?.kind === 'file') return <img src={target.href} alt={alt} loading="lazy" />
      if (target?.kind !== 'elsewhere') return <>{alt}</>
      return (
        <a href={target.href} rel="noopener nofollow">
          {alt || target.href}
        </a>
      )
    },
    // A diagram has a frame of its own.
    pre: ({ node, children }) => (isDiagram(node?.children[0]) ? children : <pre>{children}</pre>),
    code: ({ node, className, children }) => {
      if (isDiagram(node) && typeof children === 'string')
        return (
          <Suspense fallback={<pre>{children}</pre>}>
            <Diagram text={children} />
          </Suspense>
        )
      const language = codeLanguage(/language-(\S+)/.exec(className ?? '')?.[1] ?? '')
      if (language === null || typeof children !== 'string') return <code>{children}</code>
      return (
        <Suspense fallback={<code>{children}</code>}>
          <Code text={children} language={language} />
        </Suspense>
      )
    },
    table: ({ children }) => (
      <div className="table-wrap">
        <table>{children}</table>
      </div>
    ),
  }
  return (
    <div className="markdown">
      <Markdown
        skipHtml
        remarkPlugins={[...plugins, ...math.remark]}
        rehypePlugins={math.rehype}
        components={components}
      >
        {body}
      </Markdown>
    </div>
  )
}
