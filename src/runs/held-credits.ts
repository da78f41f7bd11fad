import { NoPlaceError } from '../shares/places.ts'

/** Marks a run that waits for held credits, in the column that names a provider. No provider has this name. */
export const heldCredits = ':credits'

/** Other steps hold the remaining credits. The step is retried as if no place were free. */
export class HeldCreditsError extends NoPlaceError {
  override name = 'HeldCreditsError'

  constructor() {
    super(heldCredits)
  }
}
