/** 2 GB through the API of Hugging Face, on a disk and on a real S3 server. */
import { needs } from '@hub/testing/needs'
import { describe, it } from 'vitest'
import { hubOnCeph, startCeph } from '../support/ceph.ts'
import { largeCommitsOn } from './support/large-commits-on.ts'

largeCommitsOn('a disk', {})

const ceph = await startCeph()
if ('skipped' in ceph) {
  describe('2 GB on S3', needs(ceph.skipped), () => {
    it('are there as one commit, and what is sent comes back', () => undefined)
  })
} else largeCommitsOn('S3', hubOnCeph(ceph.settings))
