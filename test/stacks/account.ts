/** Where the stacks believe to be deployed. */
export const region = "eu-central-1";
export const account = "123456789012";
