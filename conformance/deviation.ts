/** The platform deviates from the row. */
export class Deviation extends Error {
  override readonly name = 'Deviation'
}

/** The row cannot be tried on this installation. The message has the reason. */
export class Untried extends Error {
  override readonly name = 'Untried'
}

/** The response is missing or incomplete. The message has the reason. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}
