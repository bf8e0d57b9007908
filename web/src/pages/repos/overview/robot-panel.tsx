/** What a robot looks like: its still at once, and its model in 3D when a person asks for it. */
import { lazy, Suspense, useState } from 'react'
import { Loading } from '../../../ui/states.tsx'
import { RepoPicture } from '../repo-picture.tsx'
import type { RepoQuery } from './repo.graphql.ts'

/** The viewer and MuJoCo are megabytes: no one loads them who only reads. */
const RobotIn3d = lazy(() => import('./robot-in-3d.tsx'))

interface Props {
  readonly owner: string
  readonly slug: string
  readonly picture: NonNullable<RepoQuery['repo']>['picture']
}

export function RobotPanel({ owner, slug, picture }: Props) {
  const [isIn3d, setIn3d] = useState(false)
  return (
    <section className="panel stack" aria-label="Robot">
      {isIn3d ? (
        <Suspense fallback={<Loading />}>
          <RobotIn3d owner={owner} repo={slug} />
        </Suspense>
      ) : (
        <>
          {picture && <RepoPicture picture={picture} alt={`The robot ${owner}/${slug}`} className="robot-still" />}
          <div className="row">
            <button type="button" className="button" onClick={() => setIn3d(true)}>
              View in 3D
            </button>
          </div>
        </>
      )}
    </section>
  )
}
