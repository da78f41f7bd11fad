/** What a suspended user reads, with what the operator has said. */
export const suspended = (reason: string | null): string =>
  `This account was suspended by the operator of this platform. Nothing is deleted.${reason === null ? '' : ` The reason: ${reason}`}`
