import { Row } from '../../database/row.ts'
import type { ChangeClass, Difference } from '../../sites/changes/difference.ts'
import type { Manifest } from '../../sites/manifest.ts'

/**
 * `adopted`: put into use without asking · `pending`: unused until the owner accepts it · `superseded`: replaced by
 * another change before the owner decided · `withdrawn`: the site went back to the pinned manifest.
 */
export const manifestChangeStatuses = ['adopted', 'pending', 'accepted', 'superseded', 'withdrawn'] as const

type ManifestChangeStatus = (typeof manifestChangeStatuses)[number]

/** A change of a connected site's manifest (table `manifest_changes`). An entry has at most one pending change. */
export class ManifestChange extends Row {
  static override tableName = 'manifest_changes'
  static override jsonAttributes = ['differences', 'manifest']
  declare id: string
  declare entryId: string
  declare class: Exclude<ChangeClass, 'none'>
  /** Between the manifest pinned when the change was found and the new one. */
  declare differences: Difference[]
  /** The whole new manifest. While it is pending, no part of it is used. */
  declare manifest: Manifest
  /** Fingerprint of the new manifest. The owner accepts the change by this value. */
  declare fingerprint: string
  declare status: ManifestChangeStatus
  declare foundAt: Date
  declare decidedAt: Date | null
}
