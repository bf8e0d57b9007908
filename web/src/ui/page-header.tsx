/** The title of a page, in the document too, with what one can do there. */
import { type ReactNode, useEffect } from 'react'

interface Props {
  readonly title: string
  /** In place of the plain title, for links and badges. */
  readonly heading?: ReactNode
  readonly about?: ReactNode
  readonly children?: ReactNode
}

export function PageHeader({ title, heading, about, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Hub`
  }, [title])
  return (
    <div className="page-header">
      <div>
        <h1>{heading ?? title}</h1>
        {about && <div className="dim">{about}</div>}
      </div>
      {children && <div className="row">{children}</div>}
    </div>
  )
}
