/** The platform does something else than the row says. */
export class Deviation extends Error {
  override readonly name = 'Deviation'
}

/** The row cannot be tried on this installation, and why. */
export class Untried extends Error {
  override readonly name = 'Untried'
}

/** No answer came, or not all of it. The message says why. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}
