/** How much is in a repo, and what its card or meta block says. */
import type { ReactNode } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { bytes, count, rounded, words } from '../../../ui/format.ts'
import { Time } from '../../../ui/time.tsx'
import { RepoLink } from '../repo-table.tsx'
import type { RepoQuery } from './repo.graphql.ts'

type Repo = NonNullable<RepoQuery['repo']>
type Fact = readonly [name: string, value: ReactNode]

export function Facts({ repo }: { readonly repo: Repo }) {
  const { count: files, totalBytes, verifiedCount } = repo.fileSummary
  const facts: Fact[] = [
    ['Files', count(files)],
    ['Size', bytes(totalBytes)],
    [
      'Verified',
      files === 0
        ? null
        : files === verifiedCount
          ? `all by SHA-256`
          : `${count(verifiedCount)} of ${count(files)} by SHA-256`,
    ],
    ['Created', <Time key="created" at={repo.createdAt} />],
  ]
  const about = aboutKind(repo)
  return (
    <>
      <FactPanel title="Contents" facts={facts} />
      <Card repo={repo} />
      {about && <FactPanel title={about.title} facts={about.facts} />}
    </>
  )
}

/** What the header of the README says, and what is wrong with it. */
function Card({ repo }: { readonly repo: Repo }) {
  const { prettyName, license, libraryName, pipelineTag, cardFault } = repo
  if ([prettyName, license, libraryName, pipelineTag, cardFault].every((one) => one === null)) return null
  const licensed = license && (
    <Link to="repos" params={{}} query={{ license: license.toLowerCase() }}>
      {license}
    </Link>
  )
  const facts: Fact[] = [
    ['Title', prettyName],
    ['License', licensed],
    ['Library', libraryName],
    ['Task', pipelineTag],
    ['Header', cardFault],
  ]
  return <FactPanel title="Card" facts={facts} />
}

function FactPanel({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) {
  return (
    <section className="panel">
      <h2>{title}</h2>
      <dl className="facts">
        {facts
          .filter(([, value]) => value !== null && value !== undefined && value !== '')
          .map(([name, value]) => (
            <div key={name} className="fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  )
}

function aboutKind({ card, datasetMeta, modelMeta, policyCount }: Repo): { title: string; facts: Fact[] } | null {
  if (card) {
    const checked = card.validation && (
      <>
        by {card.validation.engine}, <Time at={card.validation.checkedAt} />
      </>
    )
    return {
      title: 'Robot card',
      facts: [
        ['Degrees of freedom', card.dof],
        ['Mass', card.massKg === null ? null : `${rounded(card.massKg)} kg`],
        ['Base', card.interface && words(card.interface.base)],
        ['Control', card.interface && `${card.interface.controlRateHz} Hz`],
        ['Model', card.mjcfPath && <code>{card.mjcfPath}</code>],
        [
          'Interface',
          card.interfaceFingerprint && (
            <code title={card.interfaceFingerprint}>{card.interfaceFingerprint.slice(0, 16)}…</code>
          ),
        ],
        ['Checked', checked],
        ['Policies', policyCount],
      ],
    }
  }
  if (datasetMeta)
    return {
      title: 'Dataset',
      facts: [
        ['Episodes', count(datasetMeta.episodeCount)],
        ['Frames', count(datasetMeta.totalFrames)],
        ['Rate', datasetMeta.fps === null ? null : `${datasetMeta.fps} frames/s`],
        ['Robot', datasetMeta.robot ? <RepoLink fullName={datasetMeta.robot.fullName} /> : datasetMeta.robotType],
      ],
    }
  if (modelMeta)
    return {
      title: 'Model',
      facts: [
        ['Policy', modelMeta.policyType],
        ['Level', modelMeta.controlClass && words(modelMeta.controlClass)],
        ['Base model', modelMeta.baseModel],
        ['Robot', modelMeta.robot ? <RepoLink fullName={modelMeta.robot.fullName} /> : modelMeta.robotName],
      ],
    }
  return null
}
