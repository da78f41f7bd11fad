import { NoPlaceError } from '../shares/places.ts'

/** Stands where a run notes whose places it waits for. No provider has such a name. */
export const heldCredits = ':credits'

/** Other steps hold the credits that are left. The step comes again, as if there were no place for it. */
export class HeldCreditsError extends NoPlaceError {
  override name = 'HeldCreditsError'

  constructor() {
    super(heldCredits)
  }
}
