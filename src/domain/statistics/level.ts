/** A p-value below it is called a difference. */
export const LEVEL = 0.05;
