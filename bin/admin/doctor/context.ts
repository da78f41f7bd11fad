import type { Services } from '../../../src/services.ts'

/** What the doctor's checks look at. */
export interface Outside extends Services {
  /** Folders of this installation on this machine. */
  folders: readonly string[]
}
