/** The parts of a file's page. */
import { Tabs } from '../../../ui/tabs.tsx'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly path: string
}

export function FileTabs(params: Props) {
  return (
    <Tabs
      label="Parts of the file"
      tabs={[
        { to: 'repoFiles', params, title: 'File' },
        { to: 'repoFileHistory', params, title: 'History' },
      ]}
    />
  )
}
