import * as manifests from '../../../api/manifests.ts'
import * as vault from '../../../api/vault.ts'
import { call } from '../../helpers/client.ts'
import { manifestWith } from '../../helpers/hostile-site.ts'
import { person } from '../../helpers/people.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

/** What the site answers the request for its manifest with. */
const serving = (manifest: object) => ({ body: JSON.stringify(manifest) })

export function manifestsTable({ platform, sites, owner, params }: Stage, { ask }: Recorder): Table {
  const { entryId = '' } = params
  const { brokenManifest } = sites
  const good = manifestWith(brokenManifest.origin)

  /** Somebody who has connected a site that has then changed; the site is as it was afterwards. */
  async function afterChange(change: () => void, work: Work) {
    const someone = await person(platform)
    brokenManifest.serve(serving(good))
    try {
      const { body } = await call(someone, vault.addToVault, { body: { url: brokenManifest.origin, token: 'a-token' } })
      change()
      return await work(someone, { entryId: body.id })
    } finally {
      brokenManifest.serve('several-rules')
    }
  }
  type Someone = Awaited<ReturnType<typeof person>>
  type Work = (someone: Someone, named: { entryId: string }) => ReturnType<typeof ask>
  const refresh: Work = (someone, named) => ask(someone, manifests.refreshManifest, { params: named })

  return {
    refreshManifest: {
      done: () => refresh(owner, { entryId }),
      MANIFEST_NOT_FOUND: () => afterChange(() => brokenManifest.serve('not-found'), refresh),
      MANIFEST_INVALID: () => afterChange(() => brokenManifest.serve('several-rules'), refresh),
    },
    acceptManifest: {
      done: () =>
        afterChange(
          () => brokenManifest.serve(serving({ ...good, tools: [] })),
          async (someone, named) => {
            const found = await call(someone, manifests.refreshManifest, { params: named })
            const { fingerprint } = found.body
            return ask(someone, manifests.acceptManifest, { params: named, body: { fingerprint } })
          },
        ),
    },
    listManifestChanges: { done: () => ask(owner, manifests.listManifestChanges, { params: { entryId } }) },
  }
}
