/** Tools of one site that can be chosen, as the API says. */
export const mostChosen = 20
