/** 2 GB through the API of Hugging Face, on a disk and on a real S3 server: minutes, so in a run of this file alone. */
import { needs } from '@hub/testing/needs'
import { isFull } from '@hub/testing/torture'
import { describe, it } from 'vitest'
import { hubOnCeph, startCeph } from '../support/ceph.ts'
import { largeCommitsOn } from './support/large-commits-on.ts'

const ceph = isFull ? await startCeph() : { skipped: '2 GB take minutes: HUB_TEST_TORTURE=full tests them' }

if (isFull) largeCommitsOn('a disk', {})
if ('skipped' in ceph) {
  describe('2 GB on S3', needs(ceph.skipped), () => {
    it('are there as one commit, and what is sent comes back', () => undefined)
  })
} else largeCommitsOn('S3', hubOnCeph(ceph.settings))
