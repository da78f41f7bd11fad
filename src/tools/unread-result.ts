/** What is said of a result that was too complex to be read. It is not recorded: the call's `result` is null then. */
export const unreadResult =
  'The site carried out the call, but its result is too complex to be read, and was not kept. Do not repeat the call because of that.'
