import { providerContract } from "../../contract/provider/provider.ts";
import { chatAnswers, chatInBody } from "../openai/chat-completions-wire.ts";

// Without a name the router chooses who serves the model, and speaks plain Chat Completions.
providerContract({
  providerKey: "huggingface",
  model: "meta-llama/Llama-3.3-70B-Instruct",
  variables: (url) => ({ HF_TOKEN: "hf_test", HF_BASE_URL: url }),
  signInWords: "HF_TOKEN",
  inBody: chatInBody,
  answers: chatAnswers,
});
