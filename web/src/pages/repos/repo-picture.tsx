/** The picture of a repo, at a fixed size: it is loaded late, and moves nothing when it comes. */
import { useState } from 'react'
import { useShownTheme } from '../../app/use-theme.ts'
import { lastingUrl } from './lasting-urls.ts'
import type { RepoPictureFragment } from './overview/repo.graphql.ts'

interface Props {
  readonly picture: RepoPictureFragment | null
  /** What it shows, for people who do not see it; empty where that is said beside it. */
  readonly alt: string
  readonly className: string
}

/** Nothing but its place where there is no picture, or where the file is not a picture. */
export function RepoPicture({ picture, alt, className }: Props) {
  const theme = useShownTheme()
  const [broken, setBroken] = useState<string | null>(null)
  const file = picture === null ? null : theme === 'dark' ? (picture.dark ?? picture.light) : picture.light
  const url = file && lastingUrl({ of: file.sha256, url: file.url })
  return (
    <span className={className}>
      {url !== null && url !== broken && (
        <img src={url} alt={alt} loading="lazy" decoding="async" onError={() => setBroken(url)} />
      )}
    </span>
  )
}
